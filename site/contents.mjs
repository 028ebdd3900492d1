// The navigation of the site, in the order in which a reader needs the pages. A test finds a page of docs/ that is missing here.

/** Pages of the repository that are not in `docs/`, by their place on the site. */
export const PROJECT_PAGES = {
  'project/changes': 'CHANGELOG.md',
  'project/security': 'SECURITY.md',
  'project/numbers': 'bench/RESULTS.md',
  'project/architecture': 'ARCHITECTURE.md',
  'project/contributing': 'CONTRIBUTING.md',
}

/** Groups of pages. A page is named by its path on the site, without `.md`. */
export const CONTENTS = [
  {
    text: 'Tutorial',
    items: [
      ['tutorial/1-routes', '1. Routes'],
      ['tutorial/2-tests', '2. Tests and the document'],
      ['tutorial/3-access', '3. Access'],
      ['tutorial/4-database', '4. Tenants in a database'],
      ['tutorial/5-production', '5. Production'],
    ],
  },
  {
    text: 'Begin',
    items: [
      ['tour', 'A tour'],
      ['cli', 'Command line'],
      ['environment', 'Environment variables'],
    ],
  },
  {
    text: 'Move from',
    items: [
      ['from-express', 'Express'],
      ['nestjs', 'NestJS'],
      ['from-fastify', 'Fastify'],
      ['from-tsoa', 'tsoa'],
    ],
  },
  {
    text: 'Routes',
    items: [
      ['validation', 'Validation'],
      ['bodies', 'Bodies and cookies'],
      ['uploads', 'Uploads'],
      ['responses', 'Responses'],
      ['files', 'Files'],
      ['streaming', 'Streams'],
      ['pagination', 'Pages of a list'],
      ['openapi', 'The OpenAPI document'],
      ['express', 'Express and middlewares'],
    ],
  },
  {
    text: 'Access',
    items: [
      ['auth', 'Authentication'],
      ['jwt', 'JSON Web Tokens'],
      ['api-keys', 'API keys'],
      ['sessions', 'Sessions'],
      ['policies', 'Policies'],
      ['tenancy', 'Tenants'],
      ['rate-limits', 'Rate limits'],
      ['capacity', 'Capacity'],
      ['security', 'Security headers and CORS'],
    ],
  },
  {
    text: 'Data',
    items: [
      ['postgres', 'PostgreSQL'],
      ['migrations', 'Migrations'],
      ['typeorm', 'TypeORM'],
      ['postgres-recipes', 'Kysely and Prisma'],
      ['caching', 'Caching'],
      ['redis', 'Redis'],
    ],
  },
  {
    text: 'Structure',
    items: [
      ['dependency-injection', 'Dependency injection'],
      ['interceptors', 'Interceptors and middlewares'],
      ['extending', 'Plugins and decorators'],
    ],
  },
  {
    text: 'Test and operate',
    items: [
      ['testing', 'Testing'],
      ['doctor', 'The doctor'],
      ['operating', 'Operating'],
      ['observability', 'Observability'],
      ['deploying', 'Deploying'],
      ['runtimes', 'Bun and Deno'],
      ['supply-chain', 'What is installed'],
    ],
  },
  {
    text: 'Reference',
    items: [
      ['decorators', 'Decorators'],
      ['configuration', 'Configuration'],
      ['errors', 'Errors and codes'],
      ['api/index', 'API'],
    ],
  },
  {
    text: 'The project',
    items: [
      ['project/changes', 'Changes'],
      ['project/security', 'Security'],
      ['project/numbers', 'Measurements'],
      ['project/architecture', 'Architecture'],
      ['project/contributing', 'Contributing'],
    ],
  },
]
