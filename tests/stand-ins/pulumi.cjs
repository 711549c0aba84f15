// Stands in for the Pulumi CLI in what the release uses of it: a plugin that is installed from an archive answers with
// the text of the archive's one file as its schema. Plugins are in the folder PULUMI_HOME.
const { execFileSync } = require("node:child_process");
const { mkdirSync, readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { main, UsageError } = require("./arguments.cjs");

const placeOf = (name, version) => join(process.env.PULUMI_HOME, `${name}-${version}`);

const run = {
  "plugin install"({ args: [kind, name, version], flags }) {
    if (kind !== "resource" || flags["--file"] === undefined)
      throw new UsageError("the stand-in installs resource plugins from a file alone");
    mkdirSync(process.env.PULUMI_HOME, { recursive: true });
    const content = execFileSync("tar", ["-xzOf", flags["--file"], "pulumi-resource-modelplatform"]);
    writeFileSync(placeOf(name, version), content);
  },
  "package get-schema"({ args: [source] }) {
    const [name, version] = source.split("@");
    process.stdout.write(readFileSync(placeOf(name, version)));
  },
};

main(require("./pulumi-commands.cjs"), process.argv.slice(2), (parsed) => run[parsed.command](parsed));
