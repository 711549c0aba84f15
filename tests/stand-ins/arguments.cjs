// Reads a command line as the program that is stood in for would: by the flags that its manual lists, and no others.
const { existsSync } = require("node:fs");

/** A flag's value: a `switch` has none, a `file` must exist unless it is `-`. */
const kinds = ["switch", "text", "file"];

class UsageError extends Error {}
exports.UsageError = UsageError;

function flagOf(name, flags) {
  const flag = flags[name];
  if (flag === undefined) throw new UsageError(`unknown flag: ${name}`);
  // A short name stands for the long one.
  return kinds.includes(flag) ? { name, kind: flag } : { name: flag, kind: flags[flag] };
}

function requireFile(path) {
  if (path !== "-" && !existsSync(path)) throw new UsageError(`open ${path}: no such file or directory`);
}

/** `--flag value` and `--flag=value`; a switch takes `=false` alone. */
function readFlag(argument, rest, flags) {
  const [, spelled, attached] = /^(--?[^=]+)(?:=(.*))?$/s.exec(argument);
  const { name, kind } = flagOf(spelled, flags);
  if (kind === "switch") return [name, attached !== "false"];
  const value = attached ?? rest.shift();
  if (value === undefined) throw new UsageError(`flag needs an argument: ${spelled}`);
  if (kind === "file") requireFile(value);
  return [name, value];
}

/** The longest command of the table that the arguments begin with. */
function commandOf(commands, argv) {
  const names = Object.keys(commands).filter((name) => name.split(" ").every((word, index) => argv[index] === word));
  const [longest] = names.sort((one, other) => other.length - one.length);
  if (longest === undefined) throw new UsageError(`unknown command ${JSON.stringify(argv.slice(0, 2).join(" "))}`);
  return longest;
}

/**
 * The command, its flags by their long names, and its other arguments. A command of the table has `flags`, the least
 * and the greatest count of other arguments (`args`), and the index of the first that is a file (`filesFrom`).
 */
exports.parse = (commands, argv) => {
  const command = commandOf(commands, argv);
  const {
    flags,
    args: [least, most],
    filesFrom = Number.POSITIVE_INFINITY,
  } = commands[command];
  const rest = argv.slice(command.split(" ").length);
  const [read, args] = [{}, []];
  while (rest.length > 0) {
    const next = rest.shift();
    if (!next.startsWith("-") || next === "-") args.push(next);
    else {
      const [name, value] = readFlag(next, rest, flags);
      read[name] = value;
    }
  }
  if (args.length < least || args.length > most) throw new UsageError(`${command} takes other arguments than ${args}`);
  args.slice(filesFrom).forEach(requireFile);
  return { command, flags: read, args };
};

/** Runs a stand-in; what the program would refuse ends it with 1. */
exports.main = (commands, argv, run) => {
  try {
    run(exports.parse(commands, argv));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
};
