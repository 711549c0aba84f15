// Declares what `declared.json` says. `@name` stands for a resource above, `@name.output` for one of
// its outputs, `{"secret": v}` for a secret.
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const pulumi = require("@pulumi/pulumi");
const platform = require("pulumi-modelplatform");

const { resources = {}, outputs = {} } = JSON.parse(readFileSync(join(__dirname, "declared.json"), "utf8"));
const made = {};

function meant(value) {
  if (typeof value === "string" && value.startsWith("@")) {
    const [name, output] = value.slice(1).split(".");
    return output === undefined ? made[name] : made[name][output];
  }
  if (Array.isArray(value)) return value.map(meant);
  if (typeof value !== "object" || value === null) return value;
  if (Object.keys(value).join() === "secret") return pulumi.secret(value.secret);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, meant(member)]));
}

for (const [name, { kind, opts, ...args }] of Object.entries(resources))
  made[name] = new platform[kind](name, meant(args), meant(opts));

module.exports = meant(outputs);
