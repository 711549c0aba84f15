-- Open findings, oldest first.
SELECT name, severity, firstSeen
FROM read_json('drift-history/*.ndjson', ignore_errors = true, union_by_name = true)
WHERE record = 'finding'
QUALIFY row_number() OVER (PARTITION BY fingerprint ORDER BY scannedAt DESC) = 1 AND change <> 'gone' AND acceptedBy IS NULL
ORDER BY firstSeen, name;
