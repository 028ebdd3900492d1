/** `run.mjs` says what is changed, and where the report goes. */
const { MUTANTS_SOURCE: source = '', MUTANTS_REPORT: fileName = '' } = process.env

export default {
  mutate: [`${source}/**/*.ts`],
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  // `related` would run every journey for every file: they import the package as a whole.
  vitest: { configFile: 'test/mutants/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  reporters: ['json', 'progress-append-only'],
  jsonReporter: { fileName },
  concurrency: Number(process.env.MUTANTS_PROCESSES ?? 1),
  // Many tests begin servers: a busy machine is not an endless loop.
  timeoutMS: 20_000,
  // Not below `test`: the tests of a sandbox would run with those of the repository.
  tempDirName: '.cache/mutants',
  // TypeScript 7 has no API that Stryker could read a tsconfig with, and nothing here needs one: name a file that is not there.
  tsconfigFile: 'test/mutants/none.json',
  disableTypeChecks: false,
  ignorePatterns: ['/.ci', '/.artifacts', '/bench', '/dist', '/docs', '/.cache'],
  allowEmpty: false,
}
