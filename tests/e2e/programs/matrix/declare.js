// Declares what a document says: class, arguments and options by name. `@name` stands for a resource above it,
// `@name.output` for one of its outputs, `{"secret": v}` for a secret.
exports.declare = (pulumi, packages, { resources = {} }) => {
  const made = {};

  class Group extends pulumi.ComponentResource {
    constructor(name, _args, opts) {
      super("matrix:index:Group", name, {}, opts);
      this.registerOutputs({});
    }
  }

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

  for (const [name, { of, copy = "own", args = {}, opts = {} }] of Object.entries(resources)) {
    const Class = of === "Group" ? Group : packages[copy]()[of];
    made[name] = new Class(name, meant(args), meant(opts));
  }
};
