const { resolver } = require("../references");

// Declares what a document says, and returns the stack's outputs.
exports.declare = (pulumi, platform, { resources = {}, outputs = {} }) => {
  const made = {};
  const resolve = resolver(pulumi, made);
  for (const [name, { kind, opts, ...args }] of Object.entries(resources))
    made[name] = new platform[kind](name, resolve(args), resolve(opts));
  return resolve(outputs);
};
