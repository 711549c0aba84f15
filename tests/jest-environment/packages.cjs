// ESM-only packages (p-retry and what it stands on among them) are compiled for jest's CommonJS loader.
exports.esmOnly = ["p-retry", "is-network-error", "log-update", "marked"];
