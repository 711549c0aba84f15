// Declares what a document says. `@name` stands for a resource above, `@name.output` for one of its outputs,
// `{"secret": v}` for a secret. Returns the stack's outputs.
exports.declare = (pulumi, platform, { resources = {}, outputs = {} }) => {
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

  return meant(outputs);
};
