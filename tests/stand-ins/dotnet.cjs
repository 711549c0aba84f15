// Stands in for `dotnet nuget push`: sends the package to a source that tests/publish/nuget-source.ts serves.
const { readFileSync } = require("node:fs");
const { main } = require("./arguments.cjs");

main(require("./dotnet-commands.cjs"), process.argv.slice(2), async ({ flags, args: [path] }) => {
  const index = await (await fetch(flags["--source"])).json();
  const { "@id": publish } = index.resources.find((each) => each["@type"].startsWith("PackagePublish/"));
  const body = new FormData();
  body.append("package", new Blob([readFileSync(path)]), "package.nupkg");
  const response = await fetch(publish, { method: "PUT", headers: { "x-nuget-apikey": flags["--api-key"] }, body });
  if (response.ok) return console.log("Your package was pushed.");
  console.error(`error: Response status code does not indicate success: ${response.status} (${response.statusText}).`);
  process.exitCode = 1;
});
