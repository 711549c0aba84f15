const { resolver } = require("../references");

// Declares what a document says: class, arguments and options by name.
exports.declare = (pulumi, packages, { resources = {} }) => {
  const made = {};
  const resolve = resolver(pulumi, made);

  class Group extends pulumi.ComponentResource {
    constructor(name, _args, opts) {
      super("matrix:index:Group", name, {}, opts);
      this.registerOutputs({});
    }
  }

  for (const [name, { of, copy = "own", args = {}, opts = {} }] of Object.entries(resources)) {
    const Class = of === "Group" ? Group : packages[copy]()[of];
    made[name] = new Class(name, resolve(args), resolve(opts));
  }
};
