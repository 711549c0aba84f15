// What a declared document means: `@name` stands for a resource made before, `@name.output` for one of its outputs,
// `{"secret": v}` for a secret. Programs are copied to folders of their own, and this file to the folder above them.
exports.resolver = (pulumi, made) => {
  const resolve = (value) => {
    if (typeof value === "string" && value.startsWith("@")) {
      const [name, output] = value.slice(1).split(".");
      return output === undefined ? made[name] : made[name][output];
    }
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== "object" || value === null) return value;
    if (Object.keys(value).join() === "secret") return pulumi.secret(value.secret);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolve(member)]));
  };
  return resolve;
};
