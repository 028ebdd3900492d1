/**
 * The rooms whose tests are measured, and which tests those are. A room with much traffic has its journeys beside its own tests:
 * the more there are, the longer a run takes.
 */
export const ROOMS = {
  errors: { mutate: 'src/errors', tests: ['test/errors'] },
  routing: { mutate: 'src/routing', tests: ['test/routing'] },
  pipeline: { mutate: 'src/pipeline', tests: ['test/journeys/app', 'test/journeys/express'] },
  http: {
    mutate: 'src/http',
    tests: ['test/http', 'test/journeys/express', 'test/journeys/hostile'],
  },
  model: {
    mutate: 'src/model',
    tests: ['test/metadata', 'test/journeys/boot', 'test/journeys/app/overriding.test.ts'],
  },
  tenancy: {
    mutate: 'src/features/tenancy',
    tests: ['test/features/tenancy', 'test/journeys/tenancy'],
  },
  cache: { mutate: 'src/features/cache', tests: ['test/features/cache', 'test/journeys/cache'] },
  'postgres/sessions': {
    mutate: 'src/integrations/postgres/sessions',
    tests: [
      'test/journeys/postgres',
      'test/integrations/postgres/after-commit.test.ts',
      'test/integrations/postgres/at-the-edges.test.ts',
      'test/integrations/postgres/left-behind.test.ts',
      'test/integrations/postgres/request-work.test.ts',
    ],
  },
}
