// OpenSSL's objects as owners, and its errors as ours. Included by the .cc files of this folder only.
#pragma once

#include <memory>
#include <string>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "base/result.h"

namespace belljar::tls {

template <auto free_function>
struct Freer {
  template <typename T>
  void operator()(T* object) const {
    free_function(object);
  }
};

using BioOwner = std::unique_ptr<BIO, Freer<&BIO_free_all>>;
using CertificateOwner = std::unique_ptr<X509, Freer<&X509_free>>;
using ContextOwner = std::unique_ptr<SSL_CTX, Freer<&SSL_CTX_free>>;
using ExtensionOwner = std::unique_ptr<X509_EXTENSION, Freer<&X509_EXTENSION_free>>;
using GeneralNamesOwner = std::unique_ptr<GENERAL_NAMES, Freer<&GENERAL_NAMES_free>>;
using KeyOwner = std::unique_ptr<EVP_PKEY, Freer<&EVP_PKEY_free>>;
using SessionOwner = std::unique_ptr<SSL_SESSION, Freer<&SSL_SESSION_free>>;
using SslOwner = std::unique_ptr<SSL, Freer<&SSL_free>>;

/// Once per process, before anything else of OpenSSL: no configuration file is read, since what it says
/// (engines, providers, lower security) is not ours to follow and its process may have no files.
void prepare_openssl();
/// The same for a process that needs keys and certificates, but no connections.
void prepare_crypto();

/// The oldest error of this thread's queue in words ("sslv3 alert bad certificate"); empties the queue. To be
/// called before anything can suspend the fiber: the queue belongs to the thread.
std::string take_openssl_error();

/// For a call that can only fail for want of memory or by a bug of ours.
Error openssl_failure(const char* call);

}  // namespace belljar::tls
