// A scripted model server: real agents can be driven through real tool calls without a model.
//
//   node model-server.mjs [--plain ADDRESS:PORT]… [--tls ADDRESS:PORT]… [--cert PEM --key PEM] [--log FILE]
//
// Speaks the four APIs of model-apis.mjs; the prompt holds the script (model-script.mjs). Each request is one JSON line in
// the log: host, method, path, the names of its headers, which kind of credential it carried and that
// credential's SHA-256 (never the credential), the size of the body, the tools offered. Prints "ready" once it listens.
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import zlib from 'node:zlib';
import { createHash } from 'node:crypto';
import { anthropicMessages, chatCompletions, generateContent, openaiResponses, sendJson } from './model-apis.mjs';

const BODY_LIMIT = 64 << 20; // bytes; larger requests are answered 413

function parseArguments(argv) {
  const options = { plain: [], tls: [], cert: undefined, key: undefined, log: undefined };
  for (let i = 0; i < argv.length; i += 2) {
    const name = argv[i].replace(/^--/, ''), value = argv[i + 1];
    if (!(name in options) || value === undefined) throw new Error(`unknown or incomplete option ${argv[i]}`);
    Array.isArray(options[name]) ? options[name].push(value) : (options[name] = value);
  }
  return options;
}

const options = parseArguments(process.argv.slice(2));
const log = (entry) => {
  const line = JSON.stringify({ time: new Date().toISOString(), ...entry }) + '\n';
  options.log ? fs.appendFileSync(options.log, line) : process.stderr.write(line);
};

function credentialOf(headers) {
  const found = ['x-api-key', 'x-goog-api-key', 'authorization'].filter((name) => headers[name]);
  return found.map((name) => {
    const value = headers[name], [scheme, rest] = value.split(/ (.*)/);
    const secret = name === 'authorization' ? rest ?? '' : value;
    return { kind: name === 'authorization' ? `authorization ${scheme}` : name, sha256: createHash('sha256').update(secret).digest('hex') };
  });
}

// Agents compress large requests (Claude Code does unless NODE_EXTRA_CA_CERTS is set).
const decoders = { gzip: zlib.gunzipSync, deflate: zlib.inflateSync, br: zlib.brotliDecompressSync, zstd: zlib.zstdDecompressSync };
function parseBody(chunks, coding) {
  let body = Buffer.concat(chunks);
  if (coding) {
    if (!decoders[coding]) throw new Error(`content-encoding ${coding} is not known here`);
    body = decoders[coding](body, { maxOutputLength: BODY_LIMIT });
  }
  try { return JSON.parse(body.toString() || '{}') ?? {}; } catch { return {}; } // telemetry is not always JSON
}

const describe = (request) => ({
  host: request.headers.host, method: request.method, path: request.url,
  headers: request.rawHeaders.filter((_, index) => index % 2 === 0), credentials: credentialOf(request.headers),
});

// A throw-away model list: agents ask for it at start and go on without it.
const models = { object: 'list', data: [{ id: 'scripted-model', object: 'model', created: 0, owned_by: 'belljar-tests' }], models: [] };

function answer(request, body, response) {
  const path = request.url.split('?')[0];
  if (request.method === 'POST') {
    if (/\/messages\/count_tokens$/.test(path)) return sendJson(response, { input_tokens: 10 });
    if (/\/messages$/.test(path)) return anthropicMessages(body, response);
    if (/\/responses$/.test(path)) return openaiResponses(body, response);
    if (/\/chat\/completions$/.test(path)) return chatCompletions(body, response);
    if (/:(streamG|g)enerateContent$/.test(path)) return generateContent(body, response, /:streamG/.test(path));
    if (/:countTokens$/.test(path)) return sendJson(response, { totalTokens: 10 });
  }
  if (request.method === 'GET' && /\/models$/.test(path)) return sendJson(response, models);
  if (request.method === 'GET' && path === '/api/hello') return sendJson(response, { message: 'hello' }); // Claude Code's onboarding gives up without it
  return sendJson(response, { error: { type: 'not_found_error', message: 'scripted model server: no such path' } }, request.method === 'HEAD' ? 200 : 404);
}

function handle(request, response) {
  const chunks = [];
  let size = 0;
  request.on('data', (chunk) => { if ((size += chunk.length) <= BODY_LIMIT) chunks.push(chunk); });
  request.on('error', () => response.destroy());
  request.on('end', () => {
    const coding = request.headers['content-encoding'];
    let body;
    try {
      body = size > BODY_LIMIT ? {} : parseBody(chunks, coding);
    } catch (error) {
      log({ ...describe(request), bytes: size, coding, failed: String(error) });
      return sendJson(response, { error: { message: String(error) } }, 415);
    }
    const tools = (body.tools ?? []).map((tool) => tool.name ?? tool.function?.name ?? tool.type);
    log({ ...describe(request), bytes: size, coding, stream: body.stream, model: body.model, tools: tools.length ? tools : undefined });
    if (size > BODY_LIMIT) return sendJson(response, { error: { message: 'body too large' } }, 413);
    try {
      answer(request, body, response);
    } catch (error) { // a body of an unexpected shape must show in the log, not end the server
      log({ failed: String(error.stack ?? error), path: request.url });
      response.headersSent ? response.destroy() : sendJson(response, { error: { message: String(error) } }, 400);
    }
  });
}

function refuseUpgrade(request, socket) {
  log({ ...describe(request), upgrade: request.headers.upgrade, status: 426 });
  socket.end('HTTP/1.1 426 Upgrade Required\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
}

function listen(server, place) {
  const [, address, port] = /^\[?(.*?)\]?:(\d+)$/.exec(place);
  server.on('upgrade', refuseUpgrade);
  server.on('tlsClientError', (error, socket) => log({ tls_error: error.code ?? error.message, host: socket.servername }));
  return new Promise((resolve, reject) => server.once('error', reject).listen(Number(port), address, resolve));
}

const plain = options.plain.map((place) => listen(http.createServer(handle), place));
const secured = options.tls.map((place) =>
  listen(https.createServer({ cert: fs.readFileSync(options.cert), key: fs.readFileSync(options.key), ALPNProtocols: ['http/1.1'] }, handle), place));
await Promise.all([...plain, ...secured]);
process.stdout.write('ready\n');
