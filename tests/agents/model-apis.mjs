// The four wire formats in which agents talk to a model: Anthropic Messages, OpenAI Responses,
// OpenAI Chat Completions and Gemini's generateContent, each as one JSON answer or as server-sent events.
import { nextMove } from './model-script.mjs';

let sequence = 0;
const flat = (content) => {
  if (content == null) return '';
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return JSON.stringify(content);
  return content.map((part) => flat(part.text ?? part.content ?? part.output ?? '')).join('\n');
};
const fragments = (text, length = 24) => text.match(new RegExp(`[\\s\\S]{1,${length}}`, 'g')) ?? [''];

export const sendJson = (response, value, status = 200) => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
};
const eventStream = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  return {
    event: (type, data) => response.write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`),
    data: (data) => response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`),
    end: () => response.end(),
  };
};

export function anthropicMessages(body, response) {
  const events = [];
  for (const message of body.messages ?? [])
    for (const part of typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content) {
      if (part.type === 'tool_result') events.push({ result: flat(part.content) });
      else if (message.role === 'user' && part.type === 'text') events.push({ text: part.text });
    }
  const move = nextMove(events, (body.tools ?? []).map((tool) => ({ name: tool.name, schema: tool.input_schema })));
  const block = move.call
    ? { type: 'tool_use', id: 'toolu_' + move.call.id.slice(5), name: move.call.name, input: move.call.args }
    : { type: 'text', text: move.text };
  const usage = { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const stop_reason = move.call ? 'tool_use' : 'end_turn';
  const message = { id: `msg_scripted${++sequence}`, type: 'message', role: 'assistant', model: body.model, stop_sequence: null, usage };
  if (!body.stream) return sendJson(response, { ...message, content: [block], stop_reason });

  const stream = eventStream(response);
  stream.event('message_start', { type: 'message_start', message: { ...message, content: [], stop_reason: null } });
  stream.event('content_block_start', { type: 'content_block_start', index: 0, content_block: move.call ? { ...block, input: {} } : { type: 'text', text: '' } });
  for (const part of fragments(move.call ? JSON.stringify(block.input) : block.text))
    stream.event('content_block_delta', { type: 'content_block_delta', index: 0, delta: move.call ? { type: 'input_json_delta', partial_json: part } : { type: 'text_delta', text: part } });
  stream.event('content_block_stop', { type: 'content_block_stop', index: 0 });
  stream.event('message_delta', { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } });
  stream.event('message_stop', { type: 'message_stop' });
  stream.end();
}

// Tools come at the top and, from newer Codex, inside the input; namespaces hold more of them.
function responsesTools(body, input) {
  const walk = (tools, namespace) => tools.flatMap((tool) =>
    tool.type === 'namespace' ? walk(tool.tools ?? [], tool.name) : [{ name: tool.name ?? tool.type, kind: tool.type, schema: tool.parameters, namespace }]);
  return walk([...(body.tools ?? []), ...input.filter((item) => item.type === 'additional_tools').flatMap((item) => item.tools ?? [])]);
}

function responsesItem(move) {
  if (!move.call) return { id: `msg_${sequence}`, type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: move.text, annotations: [] }] };
  const { id, name, kind, namespace, command, args } = move.call;
  if (kind === 'local_shell') return { id: `ls_${sequence}`, type: 'local_shell_call', call_id: id, status: 'completed', action: { type: 'exec', command: ['bash', '-lc', command], env: {} } };
  if (kind === 'custom') {
    // Codex's "exec" takes JavaScript, in which its shell is a function.
    const input = name === 'exec' ? `const r = await tools.exec_command({cmd: ${JSON.stringify(command)}}); text(r.output ?? JSON.stringify(r));` : command;
    return { id: `ct_${sequence}`, type: 'custom_tool_call', call_id: id, name, ...(namespace && { namespace }), input };
  }
  return { id: `fc_${sequence}`, type: 'function_call', call_id: id, name, ...(namespace && { namespace }), arguments: JSON.stringify(args), status: 'completed' };
}

export function openaiResponses(body, response) {
  const input = typeof body.input === 'string' ? [{ type: 'message', role: 'user', content: body.input }] : body.input ?? [];
  const events = [];
  for (const item of input) {
    if (/_call_output$/.test(item.type ?? '')) events.push({ result: flat(item.output) });
    else if (item.role === 'user') events.push({ text: flat(item.content) });
  }
  const move = nextMove(events, responsesTools(body, input));
  sequence++;
  const item = responsesItem(move);
  const usage = { input_tokens: 10, input_tokens_details: { cached_tokens: 0 }, output_tokens: 5, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 15 };
  const full = { id: `resp_scripted${sequence}`, object: 'response', created_at: Math.floor(Date.now() / 1000), status: 'completed', model: body.model, output: [item], usage, error: null };
  if (!body.stream) return sendJson(response, full);

  const stream = eventStream(response);
  let number = 0;
  const event = (type, data) => stream.event(type, { type, sequence_number: number++, ...data });
  const place = { item_id: item.id, output_index: 0 };
  event('response.created', { response: { ...full, status: 'in_progress', output: [], usage: null } });
  if (item.type === 'message') {
    event('response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress', content: [] } });
    event('response.content_part.added', { ...place, content_index: 0, part: { type: 'output_text', text: '', annotations: [] } });
    for (const delta of fragments(move.text)) event('response.output_text.delta', { ...place, content_index: 0, delta });
    event('response.output_text.done', { ...place, content_index: 0, text: move.text });
    event('response.content_part.done', { ...place, content_index: 0, part: item.content[0] });
  } else if (item.type === 'function_call') {
    event('response.output_item.added', { output_index: 0, item: { ...item, arguments: '', status: 'in_progress' } });
    for (const delta of fragments(item.arguments)) event('response.function_call_arguments.delta', { ...place, delta });
    event('response.function_call_arguments.done', { ...place, arguments: item.arguments });
  } else event('response.output_item.added', { output_index: 0, item });
  event('response.output_item.done', { output_index: 0, item });
  event('response.completed', { response: full });
  stream.end();
}

export function chatCompletions(body, response) {
  const events = [];
  for (const message of body.messages ?? []) {
    if (message.role === 'tool') events.push({ result: flat(message.content) });
    else if (message.role === 'user') events.push({ text: flat(message.content) });
  }
  const move = nextMove(events, (body.tools ?? []).map((tool) => ({ name: tool.function?.name, schema: tool.function?.parameters })));
  const call = move.call && { id: move.call.id, type: 'function', function: { name: move.call.name, arguments: JSON.stringify(move.call.args) } };
  const finish_reason = call ? 'tool_calls' : 'stop';
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const base = { id: `chatcmpl-scripted${++sequence}`, created: Math.floor(Date.now() / 1000), model: body.model };
  if (!body.stream) {
    const message = { role: 'assistant', content: call ? null : move.text, ...(call && { tool_calls: [call] }) };
    return sendJson(response, { ...base, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage });
  }
  const stream = eventStream(response);
  const chunk = (delta, reason = null) => stream.data({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }] });
  chunk({ role: 'assistant', content: call ? null : '' });
  if (call) {
    chunk({ tool_calls: [{ index: 0, ...call, function: { name: call.function.name, arguments: '' } }] });
    for (const part of fragments(call.function.arguments)) chunk({ tool_calls: [{ index: 0, function: { arguments: part } }] });
  } else for (const part of fragments(move.text)) chunk({ content: part });
  chunk({}, finish_reason);
  stream.data({ ...base, object: 'chat.completion.chunk', choices: [], usage });
  stream.data('[DONE]');
  stream.end();
}

// Gemini writes types in upper case in some schemas.
const lowerTypes = (value) => {
  if (!value || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(lowerTypes);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, key === 'type' && typeof item === 'string' ? item.toLowerCase() : lowerTypes(item)]));
};

export function generateContent(body, response, streamed) {
  const events = [];
  for (const content of body.contents ?? [])
    for (const part of content.parts ?? []) {
      if (part.functionResponse) events.push({ result: flat(part.functionResponse.response?.output ?? part.functionResponse.response) });
      else if (content.role !== 'model' && part.text) events.push({ text: part.text });
    }
  const tools = (body.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? [])
    .map((declared) => ({ name: declared.name, schema: lowerTypes(declared.parametersJsonSchema ?? declared.parameters) }));
  const move = nextMove(events, tools);
  const wantsJson = body.generationConfig?.responseMimeType === 'application/json';
  const part = move.call ? { functionCall: { name: move.call.name, args: move.call.args } } : { text: wantsJson ? '{}' : move.text };
  const answer = {
    candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    modelVersion: 'scripted-model',
  };
  if (!streamed) return sendJson(response, answer);
  const stream = eventStream(response);
  stream.data(answer);
  stream.end();
}
