-- Open findings, day by day.
SELECT scannedAt::DATE AS day, arg_max(open.error, sequence) AS errors, arg_max(open.warning, sequence) AS warnings
FROM read_json('drift-history/*.ndjson', ignore_errors = true, union_by_name = true)
WHERE record = 'scan'
GROUP BY day
ORDER BY day;
