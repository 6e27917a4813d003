#include "jar/namespaces/firewall.h"

#include <string_view>

#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netlink.h>
#include <netinet/in.h>

#include "jar/denied.h"

namespace belljar::jar {

namespace {

constexpr std::string_view kTable = "belljar";
constexpr std::string_view kRedirect = "redirect";
constexpr std::string_view kRefuse = "refuse";
constexpr std::uint32_t kFirstRegister = NFT_REG_1;

std::uint16_t nft_type(std::uint16_t message) {
  return static_cast<std::uint16_t>(NFNL_SUBSYS_NFTABLES << 8 | message);
}

Bytes big_u16(std::uint16_t value) {
  return {static_cast<std::uint8_t>(value >> 8), static_cast<std::uint8_t>(value & 255)};
}

/// Writes rules in the kernel's form: a list of expressions over registers.
class Rules {
 public:
  os::NetlinkBatch take() { return std::move(batch_); }

  void start(std::uint16_t type, std::uint16_t flags, std::uint8_t family, std::uint16_t resource) {
    nfgenmsg head{family, NFNETLINK_V0, htons(resource)};
    batch_.message(type, flags).raw(&head, sizeof head);
  }

  void table() {
    start(nft_type(NFT_MSG_NEWTABLE), NLM_F_CREATE | NLM_F_ACK, NFPROTO_INET, 0);
    batch_.text(NFTA_TABLE_NAME, kTable);
  }

  void chain(std::string_view name, std::string_view type, int priority, std::uint32_t policy) {
    start(nft_type(NFT_MSG_NEWCHAIN), NLM_F_CREATE | NLM_F_ACK, NFPROTO_INET, 0);
    batch_.text(NFTA_CHAIN_TABLE, kTable).text(NFTA_CHAIN_NAME, name);
    batch_.begin(NFTA_CHAIN_HOOK)
        .big_u32(NFTA_HOOK_HOOKNUM, NF_INET_LOCAL_OUT)
        .big_u32(NFTA_HOOK_PRIORITY, static_cast<std::uint32_t>(priority))
        .end();
    batch_.big_u32(NFTA_CHAIN_POLICY, policy).text(NFTA_CHAIN_TYPE, type);
  }

  void rule(std::string_view chain) {
    start(nft_type(NFT_MSG_NEWRULE), NLM_F_CREATE | NLM_F_APPEND | NLM_F_ACK, NFPROTO_INET, 0);
    batch_.text(NFTA_RULE_TABLE, kTable).text(NFTA_RULE_CHAIN, chain).begin(NFTA_RULE_EXPRESSIONS);
  }
  void end_rule() { batch_.end(); }

  void family(std::uint8_t wanted) {
    meta(NFT_META_NFPROTO);
    compare(NFT_CMP_EQ, Bytes{wanted});
  }
  void protocol(std::uint8_t wanted) {
    meta(NFT_META_L4PROTO);
    compare(NFT_CMP_EQ, Bytes{wanted});
  }
  void destination_port(std::uint16_t port) {
    payload(NFT_PAYLOAD_TRANSPORT_HEADER, 2, 2);
    compare(NFT_CMP_EQ, big_u16(port));
  }
  void destination(std::uint32_t offset, const Bytes& prefix) {
    payload(NFT_PAYLOAD_NETWORK_HEADER, offset, static_cast<std::uint32_t>(prefix.size()));
    compare(NFT_CMP_EQ, prefix);
  }

  void meta(std::uint32_t key) {
    expression("meta");
    batch_.big_u32(NFTA_META_KEY, key).big_u32(NFTA_META_DREG, kFirstRegister);
    end_expression();
  }

  void payload(std::uint32_t base, std::uint32_t offset, std::uint32_t size) {
    expression("payload");
    batch_.big_u32(NFTA_PAYLOAD_DREG, kFirstRegister)
        .big_u32(NFTA_PAYLOAD_BASE, base)
        .big_u32(NFTA_PAYLOAD_OFFSET, offset)
        .big_u32(NFTA_PAYLOAD_LEN, size);
    end_expression();
  }

  void compare(std::uint32_t operation, const Bytes& value) {
    expression("cmp");
    batch_.big_u32(NFTA_CMP_SREG, kFirstRegister).big_u32(NFTA_CMP_OP, operation);
    batch_.begin(NFTA_CMP_DATA).attribute(NFTA_DATA_VALUE, value).end();
    end_expression();
  }

  /// Matches when (connection tracking `key` & bits) is zero (`operation` EQ) or not (NEQ).
  void tracked(std::uint32_t key, std::uint32_t bits, std::uint32_t operation) {
    expression("ct");
    batch_.big_u32(NFTA_CT_DREG, kFirstRegister).big_u32(NFTA_CT_KEY, key);
    end_expression();
    // State and status are in host byte order.
    Bytes mask(sizeof bits), zero(sizeof bits);
    __builtin_memcpy(mask.data(), &bits, sizeof bits);
    expression("bitwise");
    batch_.big_u32(NFTA_BITWISE_SREG, kFirstRegister)
        .big_u32(NFTA_BITWISE_DREG, kFirstRegister)
        .big_u32(NFTA_BITWISE_LEN, sizeof bits);
    batch_.begin(NFTA_BITWISE_MASK).attribute(NFTA_DATA_VALUE, mask).end();
    batch_.begin(NFTA_BITWISE_XOR).attribute(NFTA_DATA_VALUE, zero).end();
    end_expression();
    compare(operation, zero);
  }

  void redirect_to(std::uint16_t port) {
    expression("immediate");
    batch_.big_u32(NFTA_IMMEDIATE_DREG, kFirstRegister);
    batch_.begin(NFTA_IMMEDIATE_DATA).attribute(NFTA_DATA_VALUE, big_u16(port)).end();
    end_expression();
    expression("redir");
    batch_.big_u32(NFTA_REDIR_REG_PROTO_MIN, kFirstRegister)
        .big_u32(NFTA_REDIR_REG_PROTO_MAX, kFirstRegister);
    batch_.big_u32(NFTA_REDIR_FLAGS, NF_NAT_RANGE_PROTO_SPECIFIED);
    end_expression();
  }

  void accept() {
    expression("immediate");
    batch_.big_u32(NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT);
    batch_.begin(NFTA_IMMEDIATE_DATA)
        .begin(NFTA_DATA_VERDICT)
        .big_u32(NFTA_VERDICT_CODE, NF_ACCEPT)
        .end()
        .end();
    end_expression();
  }

  void reject(std::uint32_t type, std::uint8_t code) {
    expression("reject");
    batch_.big_u32(NFTA_REJECT_TYPE, type).u8(NFTA_REJECT_ICMP_CODE, code);
    end_expression();
  }

  void limit(std::uint64_t per_second, std::uint32_t burst) {
    expression("limit");
    batch_.big_u64(NFTA_LIMIT_RATE, per_second)
        .big_u64(NFTA_LIMIT_UNIT, 1)
        .big_u32(NFTA_LIMIT_BURST, burst)
        .big_u32(NFTA_LIMIT_TYPE, NFT_LIMIT_PKTS);
    end_expression();
  }

  void log() {
    expression("log");
    batch_.big_u16(NFTA_LOG_GROUP, kDeniedLogGroup).big_u32(NFTA_LOG_SNAPLEN, kDeniedCopyRange);
    end_expression();
  }

 private:
  static constexpr std::uint32_t NF_NAT_RANGE_PROTO_SPECIFIED = 1U << 1;

  void expression(std::string_view name) {
    batch_.begin(NFTA_LIST_ELEM).text(NFTA_EXPR_NAME, name).begin(NFTA_EXPR_DATA);
  }
  void end_expression() { batch_.end().end(); }

  os::NetlinkBatch batch_;
};

const Bytes kLoopback4 = {127};
const Bytes kLoopback6 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
constexpr std::uint32_t kDestination4 = 16;  // in the IPv4 header
constexpr std::uint32_t kDestination6 = 24;

void add_redirects(Rules& rules) {
  for (auto protocol : {std::uint8_t{IPPROTO_UDP}, std::uint8_t{IPPROTO_TCP}}) {
    rules.rule(kRedirect);
    rules.family(NFPROTO_IPV4);
    rules.protocol(protocol);
    rules.destination_port(kResolverPort);
    rules.redirect_to(kResolverPort);
    rules.end_rule();
  }
  rules.rule(kRedirect);
  rules.family(NFPROTO_IPV4);
  rules.destination(kDestination4, kLoopback4);
  rules.accept();
  rules.end_rule();

  rules.rule(kRedirect);
  rules.family(NFPROTO_IPV4);
  rules.protocol(IPPROTO_TCP);
  rules.redirect_to(kDoorPort);
  rules.end_rule();
}

void accept_local(Rules& rules) {
  // Only what was redirected may reach the door: a direct connection has no destination to judge.
  rules.rule(kRefuse);
  rules.family(NFPROTO_IPV4);
  rules.protocol(IPPROTO_TCP);
  rules.destination_port(kDoorPort);
  rules.tracked(NFT_CT_STATUS, IPS_DST_NAT, NFT_CMP_EQ);
  rules.tracked(NFT_CT_STATE, 1U << IP_CT_NEW << 1, NFT_CMP_NEQ);
  rules.reject(NFT_REJECT_TCP_RST, 0);
  rules.end_rule();

  rules.rule(kRefuse);
  rules.family(NFPROTO_IPV4);
  rules.protocol(IPPROTO_TCP);
  rules.accept();
  rules.end_rule();

  rules.rule(kRefuse);
  rules.family(NFPROTO_IPV4);
  rules.destination(kDestination4, kLoopback4);
  rules.accept();
  rules.end_rule();

  rules.rule(kRefuse);
  rules.family(NFPROTO_IPV6);
  rules.destination(kDestination6, kLoopback6);
  rules.accept();
  rules.end_rule();

  // Answers of the resolver to whatever server was asked, and errors about accepted packets.
  rules.rule(kRefuse);
  rules.tracked(NFT_CT_STATE, 1U << (IP_CT_ESTABLISHED + 1) | 1U << (IP_CT_RELATED + 1), NFT_CMP_NEQ);
  rules.accept();
  rules.end_rule();
}

void refuse_rest(Rules& rules, bool with_log) {
  if (with_log) {
    rules.rule(kRefuse);
    rules.limit(10, 40);
    rules.log();
    rules.end_rule();
  }
  rules.rule(kRefuse);
  rules.protocol(IPPROTO_TCP);
  rules.reject(NFT_REJECT_TCP_RST, 0);
  rules.end_rule();

  rules.rule(kRefuse);
  rules.reject(NFT_REJECT_ICMPX_UNREACH, NFT_REJECT_ICMPX_ADMIN_PROHIBITED);
  rules.end_rule();
}

}  // namespace

os::NetlinkBatch firewall_rules(bool with_log) {
  Rules rules;
  rules.start(NFNL_MSG_BATCH_BEGIN, 0, AF_UNSPEC, NFNL_SUBSYS_NFTABLES);
  rules.table();
  rules.chain(kRedirect, "nat", NF_IP_PRI_NAT_DST, NF_ACCEPT);
  rules.chain(kRefuse, "filter", NF_IP_PRI_FILTER, NF_DROP);
  add_redirects(rules);
  accept_local(rules);
  refuse_rest(rules, with_log);
  rules.start(NFNL_MSG_BATCH_END, 0, AF_UNSPEC, NFNL_SUBSYS_NFTABLES);
  return rules.take();
}

}  // namespace belljar::jar
