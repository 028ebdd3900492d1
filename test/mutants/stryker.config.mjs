/** `run.mjs` says what is changed, and where the report goes. */
const { MUTANTS_SOURCE: source = '', MUTANTS_REPORT: fileName = '' } = process.env

export default {
  mutate: [`${source}/**/*.ts`],
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner', new URL('sample.mjs', import.meta.url).pathname],
  ignorers: ['sample'],
  // A change of what runs only at import would run all tests of the room.
  ignoreStatic: true,
  // `related` would run every journey for every file: they import the package as a whole.
  vitest: { configFile: 'test/mutants/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  reporters: ['json', 'progress-append-only'],
  jsonReporter: { fileName },
  concurrency: Number(process.env.MUTANTS_PROCESSES ?? 1),
  // Many tests begin servers: a busy machine is not an endless loop.
  timeoutMS: 30_000,
  dryRunTimeoutMinutes: 30,
  // Not below `test`, because the tests of a sandbox would run with those of the repository. Without a dot in its name, because
  // Express serves no files from such folders.
  tempDirName: 'tmp/mutants',
  // TypeScript 7 has no API that Stryker could read a tsconfig with, and nothing here needs one: name a file that is not there.
  tsconfigFile: 'test/mutants/none.json',
  disableTypeChecks: false,
  ignorePatterns: ['/.ci', '/.artifacts', '/bench', '/dist', '/docs', '/.cache'],
  allowEmpty: false,
}
