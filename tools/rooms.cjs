// The folders of the sources, as the compiler is given them. Without dependencies: the build itself asks.
const { include } = require("../tsconfig.json");

exports.rooms = include.map((pattern) => pattern.split("/")[0]);
