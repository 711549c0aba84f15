-- Hours to remedy, by severity.
SELECT severity, count(*) AS remedied, median(date_diff('minute', firstSeen, scannedAt)) / 60 AS hours
FROM read_json('drift-history/*.ndjson', ignore_errors = true, union_by_name = true)
WHERE record = 'finding' AND change = 'gone' AND acceptedBy IS NULL
GROUP BY severity
ORDER BY severity;
