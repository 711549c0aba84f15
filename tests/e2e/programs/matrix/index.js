const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const pulumi = require("@pulumi/pulumi");
const { declare } = require("./declare");

const document = JSON.parse(readFileSync(join(__dirname, "declared.json"), "utf8"));
declare(pulumi, { own: () => require(document.from), nested: () => require("./library")(document.from) }, document);
