/** Places where replicas run. */
export const regionMeanings = {
  REGION_UNSPECIFIED: "No region: as if unset.",
  US_IOWA_1: "Region 1 in Iowa, which is in the geography `US`.",
  US_VIRGINIA_1: "Region 1 in Virginia, which is in the geography `US`.",
  US_VIRGINIA_2: "Region 2 in Virginia, which is in the geography `US`.",
  US_ILLINOIS_1: "Region 1 in Illinois, which is in the geography `US`.",
  AP_TOKYO_1: "Region 1 in Tokyo, which is in the geography `APAC`.",
  US_ARIZONA_1: "Region 1 in Arizona, which is in the geography `US`.",
  US_TEXAS_1: "Region 1 in Texas, which is in the geography `US`.",
  US_ILLINOIS_2: "Region 2 in Illinois, which is in the geography `US`.",
  EU_FRANKFURT_1: "Region 1 in Frankfurt, which is in the geography `EUROPE`.",
  US_TEXAS_2: "Region 2 in Texas, which is in the geography `US`.",
  EU_ICELAND_1: "Region 1 in Iceland, which is in the geography `EUROPE`.",
  EU_ICELAND_2: "Region 2 in Iceland, which is in the geography `EUROPE`.",
  US_WASHINGTON_1: "Region 1 in Washington, which is in the geography `US`.",
  US_WASHINGTON_2: "Region 2 in Washington, which is in the geography `US`.",
  US_WASHINGTON_3: "Region 3 in Washington, which is in the geography `US`.",
  AP_TOKYO_2: "Region 2 in Tokyo, which is in the geography `APAC`.",
  US_CALIFORNIA_1: "Region 1 in California, which is in the geography `US`.",
  US_UTAH_1: "Region 1 in Utah, which is in the geography `US`.",
  US_ARIZONA_3: "Region 3 in Arizona, which is in the geography `US`.",
  US_GEORGIA_1: "Region 1 in Georgia, which is in the geography `US`.",
  US_GEORGIA_2: "Region 2 in Georgia, which is in the geography `US`.",
  US_WASHINGTON_4: "Region 4 in Washington, which is in the geography `US`.",
  US_GEORGIA_3: "Region 3 in Georgia, which is in the geography `US`.",
  NA_BRITISHCOLUMBIA_1: "Region 1 in British Columbia, which is in the geography `CANADA`.",
  US_GEORGIA_4: "Region 4 in Georgia, which is in the geography `US`.",
  US_OHIO_1: "Region 1 in Ohio, which is in the geography `US`.",
  US_NEWYORK_1: "Region 1 in New York, which is in the geography `US`.",
  EU_NETHERLANDS_1: "Region 1 in the Netherlands, which is in the geography `EUROPE`.",
  US_WASHINGTON_5: "Region 5 in Washington, which is in the geography `US`.",
  US_MINNESOTA_1: "Region 1 in Minnesota, which is in the geography `US`.",
  US_CALIFORNIA_2: "Region 2 in California, which is in the geography `US`.",
  NA_BRITISHCOLUMBIA_2: "Region 2 in British Columbia, which is in the geography `CANADA`.",
  AP_MALAYSIA_2: "Region 2 in Malaysia, which is in the geography `APAC`.",
  US_OREGON_1: "Region 1 in Oregon, which is in the geography `US`.",
  NA_BRITISHCOLUMBIA_3: "Region 3 in British Columbia, which is in the geography `CANADA`.",
  AP_NEWSOUTHWALES_1: "Region 1 in New South Wales, which is in the geography `APAC`.",
  AP_TAIWAN_1: "Region 1 in Taiwan, which is in the geography `APAC`.",
} as const;

/** Geographies. As a policy value the enum is closed: a typing error would mean "unrestricted" (A002). */
export const geographyMeanings = {
  MULTI_REGION_UNSPECIFIED: "No geography: as if unset.",
  GLOBAL: "Every geography.",
  US: "Regions in the United States alone.",
  CANADA: "Regions in Canada alone.",
  EUROPE: "Regions in Europe alone.",
  APAC: "Regions in Asia and the Pacific alone.",
} as const;

/** The geography that a region is in, by the beginning of its name (A064). */
export const geographies = [
  { prefix: "US_", geography: "US" },
  { prefix: "EU_", geography: "EUROPE" },
  { prefix: "AP_", geography: "APAC" },
  { prefix: "NA_BRITISHCOLUMBIA_", geography: "CANADA" },
] as const;
