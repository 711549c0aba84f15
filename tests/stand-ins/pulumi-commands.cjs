// What `pulumi` takes, for the commands that the release uses: the flags of its own help, which a test compares where
// the command is on the PATH.
const everywhere = {
  ...{ "--color": "text", "--cwd": "text", "-C": "--cwd", "--disable-integrity-checking": "switch" },
  ...{ "--emoji": "switch", "-e": "--emoji", "--fully-qualify-stack-names": "switch" },
  ...{ "-Q": "--fully-qualify-stack-names", "--logflow": "switch", "--logtostderr": "switch" },
  ...{ "--memprofilerate": "text", "--non-interactive": "switch", "--otel-traces": "text", "--profiling": "text" },
  ...{ "--tracing": "text", "--verbose": "text", "-v": "--verbose", "--help": "switch", "-h": "--help" },
};

module.exports = {
  "plugin install": {
    flags: {
      ...{ ...everywhere, "--checksum": "text", "--exact": "switch", "--file": "file", "-f": "--file" },
      ...{ "--parallel": "text", "--reinstall": "switch", "--server": "text" },
    },
    args: [0, 3],
  },
  "package get-schema": {
    flags: { ...everywhere, "--extension": "text", "--server": "text" },
    args: [1, Number.POSITIVE_INFINITY],
  },
};
