-- Findings that came back.
SELECT name, max(occurrence) AS times
FROM read_json('drift-history/*.ndjson', ignore_errors = true, union_by_name = true)
WHERE record = 'finding'
GROUP BY name
HAVING max(occurrence) > 1
ORDER BY times DESC, name;
