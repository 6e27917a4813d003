// The script that stands in for a model: which tool call, or which final text, comes next.
//
// A prompt holds the script, one step a line:
//   RUN: shell command
//   WRITE: path <<< text          (\n and \t in the text are line feed and tab)
//   READ: path
//   EDIT: path: old => new        (a trained agent reads a file first: put a READ or a WRITE before it)
//   ANSWER: text                  (the final text; without it "DONE: " and the last tool's output)
//
// A step is played with the agent's own file tools where it has them (so that their paths are
// exercised too) and through its shell where it has not. Only the latest prompt that holds steps counts, so a
// conversation may go on with another script.
import { createHash } from 'node:crypto';

const SHELL = /^(bash|shell|shell_command|exec_command|local_shell|exec|run_shell_command|run_commands?|execute_command|terminal)$/i;
const FINISH = /^(submit_and_exit|attempt_completion)$/; // agents that end a run with a tool
const LAST_OUTPUT_LIMIT = 200;

const unescape = (text) => text.replace(/\\([nt\\])/g, (_, c) => ({ n: '\n', t: '\t', '\\': '\\' })[c]);

function parseStep(line) {
  let m;
  if ((m = /^\s*RUN: (.+)$/.exec(line))) return { kind: 'run', command: m[1].trim() };
  if ((m = /^\s*WRITE: (\S+) <<< (.*)$/.exec(line))) return { kind: 'write', path: m[1], text: unescape(m[2]) };
  if ((m = /^\s*READ: (\S+)\s*$/.exec(line))) return { kind: 'read', path: m[1] };
  if ((m = /^\s*EDIT: (\S+): (.*?) => (.*)$/.exec(line))) return { kind: 'edit', path: m[1], old: unescape(m[2]), new: unescape(m[3]) };
  if ((m = /^\s*ANSWER: (.*)$/.exec(line))) return { kind: 'answer', text: unescape(m[1]) };
  return null;
}

// What an agent adds to a prompt by itself (reminders, environment) is not the user's script.
const withoutAdditions = (text) => text.replace(/<(system-reminder|environment_context|user_instructions)>[\s\S]*?<\/\1>/g, '');

export function parseScript(text) {
  const steps = withoutAdditions(text).split('\n').map(parseStep).filter(Boolean);
  const answer = steps.find((step) => step.kind === 'answer');
  return { steps: steps.filter((step) => step.kind !== 'answer'), answer: answer?.text };
}

// The same step as a shell command.
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
function asCommand(step) {
  if (step.kind === 'run') return step.command;
  if (step.kind === 'read') return `cat ${quoted(step.path)}`;
  if (step.kind === 'write') return `mkdir -p "$(dirname ${quoted(step.path)})" && printf %s ${quoted(step.text)} > ${quoted(step.path)}`;
  const python = 'import sys; p, old, new = sys.argv[1:]; s = open(p).read(); assert s.count(old) == 1, "not found once"; open(p, "w").write(s.replace(old, new))';
  return `python3 -c ${quoted(python)} ${quoted(step.path)} ${quoted(step.old)} ${quoted(step.new)}`;
}

// Arguments that satisfy a shell tool's JSON schema, the command in the property meant for it.
function shellArguments(schema, command) {
  const properties = schema?.properties ?? {}, out = {};
  const key = ['command', 'cmd', 'commands', 'script', 'shell_command'].find((name) => properties[name]);
  if (key) {
    const list = properties[key].type === 'array' || (!properties[key].type && JSON.stringify(properties[key]).includes('"array"'));
    out[key] = !list ? command : key === 'commands' ? [command] : ['bash', '-lc', command];
  }
  for (const name of schema?.required ?? []) {
    if (name in out) continue;
    const property = properties[name] ?? {};
    if (JSON.stringify(property).includes('"null"')) out[name] = null; // required, but with nothing to say
    else out[name] = property.enum ? property.enum[0] : { boolean: false, number: 60000, integer: 60000, array: [], object: {} }[property.type] ?? 'scripted';
  }
  return out;
}

const FILE_TOOLS = { write: 'Write', read: 'Read', edit: 'Edit' };
function fileToolCall(step, tools) {
  const tool = tools.find((candidate) => candidate.name === FILE_TOOLS[step.kind] && candidate.schema?.properties?.file_path);
  if (!tool) return null;
  const args = { write: { content: step.text }, read: {}, edit: { old_string: step.old, new_string: step.new } }[step.kind];
  return { name: tool.name, kind: tool.kind, args: { file_path: step.path, ...args } };
}

function shellCall(step, tools) {
  const tool = tools.find((candidate) => SHELL.test(candidate.name)) ?? tools.find((candidate) => /bash|shell|exec|command/i.test(candidate.name ?? ''));
  if (!tool) return null;
  const command = asCommand(step);
  return { name: tool.name, kind: tool.kind, namespace: tool.namespace, command, args: shellArguments(tool.schema, command) };
}

// events: the conversation in order, each {text} of the user or {result} of a tool.
// Returns {text} or {call: {id, name, kind, namespace, command, args}}.
export function nextMove(events, tools) {
  let start = -1, script = { steps: [], answer: undefined };
  events.forEach((event, index) => {
    if (event.text === undefined) return;
    const parsed = parseScript(event.text);
    if (parsed.steps.length || parsed.answer !== undefined) { script = parsed; start = index; }
  });
  if (start < 0) return { text: 'OK' };
  const results = events.slice(start + 1).filter((event) => event.result !== undefined);
  const step = script.steps[results.length];
  if (!step && results.length === script.steps.length) {
    const finish = tools.find((tool) => FINISH.test(tool.name));
    if (finish) {
      const text = script.answer ?? 'DONE: ' + String(results.at(-1)?.result ?? '').slice(0, LAST_OUTPUT_LIMIT);
      const args = shellArguments(finish.schema, text);
      for (const key of Object.keys(finish.schema?.properties ?? {})) if (/result|summary|response|message/.test(key)) args[key] = text;
      return { call: { id: 'call_finish' + start, name: finish.name, kind: finish.kind, args } };
    }
  }
  if (!step) return { text: script.answer ?? 'DONE: ' + String(results.at(-1)?.result ?? '').slice(0, LAST_OUTPUT_LIMIT) };
  const call = fileToolCall(step, tools) ?? shellCall(step, tools);
  if (!call) return { text: 'OK' }; // a side request (a title, a summary) that offers no tools
  const id = createHash('sha256').update(JSON.stringify([start, results.length, step])).digest('hex').slice(0, 20);
  return { call: { id: 'call_' + id, ...call } };
}
