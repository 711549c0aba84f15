module.exports = require("./homes.cjs").rememberHomes;
