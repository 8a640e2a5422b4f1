/** Larger cities, which maps without tiles have. */
export interface City {
  name: string;
  latitude: number;
  longitude: number;
}

const TABLE = `Amsterdam 52.373 4.893|Antwerpen 51.22 4.4|Athína 37.984 23.728|Barcelona 41.385 2.173|Basel 47.557 7.588|Beograd 44.787 20.457|Berlin 52.52 13.405|Bern 46.948 7.447|Birmingham 52.486 -1.89|Bologna 44.494 11.343|Bordeaux 44.838 -0.579|Bratislava 48.149 17.107|Bremen 53.079 8.802|Brno 49.195 16.607|Bruxelles 50.847 4.352|Bucureşti 44.427 26.103|Budapest 47.498 19.04|Dortmund 51.514 7.465|Dresden 51.05 13.738|Dublin 53.35 -6.26|Düsseldorf 51.228 6.774|Edinburgh 55.953 -3.189|Erfurt 50.978 11.029|Firenze 43.77 11.256|Frankfurt am Main 50.11 8.682|Freiburg im Breisgau 47.995 7.85|Gdańsk 54.352 18.647|Genève 46.204 6.143|Glasgow 55.864 -4.252|Göteborg 57.709 11.975|Graz 47.071 15.439|Hamburg 53.551 9.994|Hannover 52.374 9.738|Helsinki 60.17 24.938|Innsbruck 47.269 11.404|Kaunas 54.898 23.904|København 55.676 12.568|Köln 50.938 6.96|Kraków 50.065 19.945|Kyiv 50.45 30.523|Leeds 53.801 -1.549|Leipzig 51.34 12.375|Lille 50.629 3.057|Linz 48.306 14.286|Lisboa 38.722 -9.139|Liverpool 53.408 -2.991|Ljubljana 46.057 14.506|London 51.507 -0.128|Luxembourg 49.612 6.13|Lviv 49.84 24.03|Lyon 45.764 4.836|Madrid 40.417 -3.704|Malmö 55.605 13.004|Manchester 53.48 -2.242|Marseille 43.296 5.37|Milano 45.464 9.19|München 48.137 11.575|Napoli 40.852 14.268|Nice 43.71 7.262|Nürnberg 49.454 11.077|Oslo 59.914 10.752|Paris 48.857 2.352|Porto 41.158 -8.629|Poznań 52.406 16.925|Praha 50.088 14.421|Riga 56.95 24.105|Roma 41.903 12.496|Rostock 54.092 12.141|Rotterdam 51.924 4.478|Salzburg 47.8 13.045|Sevilla 37.389 -5.984|Sofia 42.698 23.322|Stockholm 59.329 18.069|Strasbourg 48.573 7.752|Stuttgart 48.776 9.183|Tallinn 59.437 24.754|Tartu 58.378 26.729|Torino 45.07 7.687|Toulouse 43.605 1.444|Utrecht 52.091 5.122|València 39.47 -0.376|Vilnius 54.687 25.28|Warszawa 52.23 21.012|Wien 48.208 16.373|Wrocław 51.108 17.038|Zagreb 45.815 15.982|Zürich 47.377 8.541`;

export const CITIES: readonly City[] = TABLE.split('|').map((line) => {
  const [, name = '', latitude, longitude] = /^(.+) (-?[\d.]+) (-?[\d.]+)$/.exec(line) ?? [];
  return { name, latitude: Number(latitude), longitude: Number(longitude) };
});
