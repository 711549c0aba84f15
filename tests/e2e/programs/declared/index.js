const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const pulumi = require("@pulumi/pulumi");
const platform = require("pulumi-modelplatform");
const { declare } = require("./declare");

const document = JSON.parse(readFileSync(join(__dirname, "declared.json"), "utf8"));
module.exports = declare(pulumi, platform, document);
