// ESM-only packages are compiled for jest's CommonJS loader.
exports.esmOnly = ["log-update", "marked"];
