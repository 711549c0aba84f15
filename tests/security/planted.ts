/** What a checkout can name or plant that an engine, or Node.js, would load. */
export const planted: readonly (readonly [string, (text: string, ran: string) => Record<string, string>])[] = [
  [
    "an SDK",
    (text) => ({
      "node_modules/@pulumi/pulumi/package.json": '{"name":"@pulumi/pulumi","version":"3.248.0","main":"index.js"}',
      ...Object.fromEntries(
        ["index", "cmd/dynamic-provider/index", "cmd/run/index", "runtime/index", "proto/provider_grpc_pb"].map(
          (name) => [`node_modules/@pulumi/pulumi/${name}.js`, text],
        ),
      ),
    }),
  ],
  [
    "a copy of this package",
    (text) => ({
      "node_modules/pulumi-modelplatform/package.json":
        '{"name":"pulumi-modelplatform","version":"9.9.9","main":"index.js"}',
      "node_modules/pulumi-modelplatform/index.js": text,
      "node_modules/pulumi-modelplatform/runtime.js": text,
      "node_modules/pulumi-modelplatform/dist/runtime.js": text,
    }),
  ],
  [
    "arguments for Node.js",
    (text) => ({
      "evil.js": text,
      "Pulumi.yaml": 'name: shop\nruntime:\n  name: nodejs\n  options:\n    nodeargs: "--require ./evil.js"\n',
    }),
  ],
  [
    "a plugin's path",
    (_, ran) => ({
      "evil/pulumi-resource-modelplatform": `#!/bin/sh\ntouch ${ran}\n`,
      "evil/pulumi-resource-pulumi-nodejs": `#!/bin/sh\ntouch ${ran}\n`,
      "Pulumi.yaml":
        "name: shop\nruntime: nodejs\nplugins:\n  providers:\n    - name: modelplatform\n      path: ./evil\n    - name: pulumi-nodejs\n      path: ./evil\n",
    }),
  ],
  ["a launcher in the folder", (_, ran) => ({ "pulumi-resource-pulumi-nodejs": `#!/bin/sh\ntouch ${ran}\n` })],
  [
    "a package manager",
    (_, ran) => ({
      "node_modules/.bin/npm": `#!/bin/sh\ntouch ${ran}\n`,
      "yarn.lock": "",
      "Pulumi.yaml": "name: shop\nruntime:\n  name: nodejs\n  options:\n    packagemanager: yarn\n",
    }),
  ],
  ["a program", (text) => ({ "index.js": text, "index.ts": text })],
  [
    "a compiler's settings",
    (text) => ({ "tsconfig.json": '{"ts-node":{"require":["./evil.js"]}}', "evil.js": text, "index.ts": "" }),
  ],
];
