/**
 * The rooms whose tests are measured, and which tests those are. A room with much traffic has its journeys beside its own tests:
 * the more there are, the longer a run takes. `oneOf` takes a sample: one declaration out of so many is changed.
 */
export const ROOMS = {
  errors: {
    mutate: 'src/errors',
    tests: [
      'test/errors',
      'test/journeys/app/refusals.test.ts',
      'test/journeys/app/statuses.test.ts',
    ],
  },
  routing: { mutate: 'src/routing', tests: ['test/routing'] },
  pipeline: {
    mutate: 'src/pipeline',
    oneOf: 30,
    tests: ['test/journeys/app', 'test/journeys/express', 'test/pipeline'],
  },
  http: {
    mutate: 'src/http',
    oneOf: 40,
    tests: ['test/http', 'test/journeys/express', 'test/journeys/hostile'],
  },
  model: {
    mutate: 'src/model',
    oneOf: 6,
    tests: ['test/metadata', 'test/journeys/boot', 'test/journeys/app/overriding.test.ts'],
  },
  tenancy: {
    mutate: 'src/features/tenancy',
    oneOf: 24,
    tests: ['test/features/tenancy', 'test/journeys/tenancy'],
  },
  cache: {
    mutate: 'src/features/cache',
    oneOf: 32,
    tests: ['test/features/cache', 'test/journeys/cache'],
  },
  'postgres/sessions': {
    mutate: 'src/integrations/postgres/sessions',
    oneOf: 6,
    tests: [
      'test/journeys/postgres/isolation.long.test.ts',
      'test/integrations/postgres/embedded-app.test.ts',
      'test/journeys/postgres/unauthorised.long.test.ts',
      'test/integrations/postgres/after-commit.test.ts',
      'test/integrations/postgres/connection-use.long.test.ts',
      'test/integrations/postgres/connection-state.test.ts',
      'test/integrations/postgres/request-ends.test.ts',
    ],
  },
}
