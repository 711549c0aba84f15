/** A package whose code is in the executable. */
export interface Bundled {
  name: string;
  version: string;
  license: string;
}

interface Billed {
  version: string;
  license: string;
  bundled: readonly Bundled[];
  /** Node.js and the libraries in it, by name, as it says them itself. */
  runtime: Readonly<Record<string, string>>;
  /** SHA-256 of Node.js, by platform. */
  hashes: Readonly<Record<string, string>>;
}

/** What the executables are made of, in CycloneDX: the plugin's packages, the runtime and its libraries. */
export function billOfMaterials({ version, license, bundled, runtime, hashes }: Billed): object {
  const { node, modules: _modules, ...libraries } = runtime;
  const packages = bundled.map((each) => ({
    type: "library",
    "bom-ref": purl(each),
    name: each.name,
    version: each.version,
    purl: purl(each),
    licenses: [{ expression: each.license }],
  }));
  const engine = `node@${node}`;
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": "plugin",
        name: "pulumi-resource-modelplatform",
        version,
        licenses: [{ expression: license }],
      },
    },
    components: [
      ...packages,
      {
        type: "platform",
        "bom-ref": engine,
        name: "node",
        version: node,
        cpe: `cpe:2.3:a:nodejs:node.js:${node}:*:*:*:*:*:*:*`,
        properties: Object.entries(hashes).map(([platform, value]) => ({ name: `sha256:${platform}`, value })),
        components: Object.entries(libraries).map(([name, each]) => ({
          type: "library",
          "bom-ref": `${engine}/${name}`,
          name,
          version: each,
        })),
      },
    ],
    dependencies: [{ ref: "plugin", dependsOn: [...packages.map((each) => each["bom-ref"]), engine] }],
  };
}

const purl = ({ name, version }: Bundled): string => `pkg:npm/${name.replace(/^@/, "%40")}@${version}`;
