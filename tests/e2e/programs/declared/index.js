const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const pulumi = require("@pulumi/pulumi");
const { declare } = require("./declare");

// `from` names the package's entry.
const document = JSON.parse(readFileSync(join(__dirname, "declared.json"), "utf8"));
module.exports = declare(pulumi, require(document.from ?? "pulumi-modelplatform"), document);
