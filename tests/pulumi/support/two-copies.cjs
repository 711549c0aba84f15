// Two copies of the package in one process: what each says of the other's classes and resources, and which modules are
// loaded by asking. Loading an entry loads the SDK, whose classes ours extend.
const { join } = require("node:path");
const pulumi = require("@pulumi/pulumi");

const copies = [process.env.OWN, process.env.COPY];
const entryOf = (copy, entry) => require(join(copy, "dist", "provider", `${entry}.js`));
const examples = Object.fromEntries(
  require(join(process.env.OWN, "dist", "provider", "resources", "index.js")).managedSpecs.map((spec) => [
    spec.kind,
    spec.example,
  ]),
);

async function main() {
  await pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => ({ id: `${name}-id`, state: inputs }),
    call: () => ({}),
  });
  const pairs = ["index", "plugin-classes"].flatMap((entry) => {
    const [own, copy] = copies.map((each) => entryOf(each, entry));
    return [...Object.keys(examples), "Provider"].map((name) => ({ entry, name, own: own[name], copy: copy[name] }));
  });
  const made = pairs.map(({ name, own, copy }) => [own, copy].map((each) => new each("one", examples[name] ?? {})));
  const typeOf = ({ __pulumiType }, name) => (name === "Provider" ? `pulumi:providers:${__pulumiType}` : __pulumiType);
  const before = new Set(Object.keys(require.cache));
  const classes = pairs.map(({ entry, name, own, copy }, index) => ({
    ...{ entry, name, isSameClass: own === copy },
    byType: [
      own.isInstance({ __pulumiType: typeOf(copy, name) }),
      copy.isInstance({ __pulumiType: typeOf(own, name) }),
    ],
    byResource: [own.isInstance(made[index][1]), copy.isInstance(made[index][0])],
    isOther: own.isInstance(made[(index + 1) % made.length][1]),
  }));
  const loaded = Object.keys(require.cache).filter((path) => !before.has(path));
  console.log(JSON.stringify({ classes, loaded }));
}

main();
