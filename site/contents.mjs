// The navigation of the site, in the order in which a reader needs the pages. A test finds a page of docs/ that is missing here.

/** Pages of the repository that are not in `docs/`, by their place on the site. */
export const PROJECT_PAGES = {
  'project/changes': 'CHANGELOG.md',
  'project/security': 'SECURITY.md',
  'project/numbers': 'bench/RESULTS.md',
  'project/architecture': 'ARCHITECTURE.md',
  'project/contributing': 'CONTRIBUTING.md',
}

/**
 * Groups of pages. A page is named by its path on the site, without `.md`. Behind its label are words that readers search for and
 * that its title does not have.
 */
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
    text: 'Getting started',
    items: [
      ['tour', 'A tour'],
      ['pages', 'All pages', 'index contents list'],
      ['cli', 'Command line'],
      ['dashboard', 'Dashboard', 'development requests steps time line curl'],
      [
        'replay',
        'Replaying failed requests',
        'replay capsule failure regression test 500 reproduce',
      ],
      ['environment', 'Environment variables', 'environment variables config dotenv env secrets'],
    ],
  },
  {
    text: 'Migrating from',
    items: [
      ['from-express', 'Express', 'migrate migration move from express replace'],
      ['nestjs', 'NestJS', 'migrate migration move from nest nestjs replace'],
      ['from-fastify', 'Fastify', 'migrate migration move from fastify replace'],
      ['from-tsoa', 'tsoa', 'migrate migration move from tsoa replace'],
    ],
  },
  {
    text: 'Routes',
    items: [
      [
        'field-routes',
        'Routes as class fields',
        'infer inference types get post functions fields hono',
      ],
      ['validation', 'Validation', 'validate schema zod valibot dto'],
      ['bodies', 'Bodies and cookies'],
      ['uploads', 'Uploads', 'upload file multipart form image'],
      ['responses', 'Responses'],
      ['files', 'Files', 'file download send serve static range'],
      ['streaming', 'Streams', 'stream server-sent events sse ndjson'],
      ['websockets', 'WebSockets', 'websocket web socket upgrade ws realtime chat'],
      ['pagination', 'Pagination', 'pagination paging cursor offset limit'],
      ['sorting', 'Sorting', 'sort order by orderby sorting column'],
      ['query-method', 'The QUERY method', 'query method search rfc 10008 post body safe'],
      [
        'conditional-writes',
        'Conditional writes',
        'optimistic locking if-match etag precondition 412 428 version concurrent lost update',
      ],
      [
        'idempotency',
        'Idempotent writes',
        'idempotent idempotency-key retry repeat twice exactly once duplicate',
      ],
      ['versions', 'API versions', 'version versioning v1 v2 header media type deprecate'],
      ['deprecation', 'Deprecating routes', 'deprecated sunset retire remove 410 gone successor'],
      ['single-page', 'Single-page applications', 'spa react vue frontend index.html static page'],
      ['openapi', 'OpenAPI document', 'openapi swagger documentation api docs'],
      ['express', 'Express and middlewares'],
    ],
  },
  {
    text: 'Access',
    items: [
      ['auth', 'Authentication', 'log in login sign in user password token bearer authorization'],
      ['jwt', 'JSON Web Tokens'],
      ['issuers', 'Several token issuers', 'multiple issuers azure microsoft entra auth0'],
      ['api-keys', 'API keys'],
      ['sessions', 'Sessions', 'log in session cookie'],
      ['login', 'Login with OpenID Connect and Passport', 'oidc oauth sso social single sign-on'],
      ['better-auth', 'Better Auth', 'better-auth betterauth'],
      ['passwords', 'Passwords', 'registration reset argon2 hash'],
      ['tokens', 'Issuing tokens', 'jose sign refresh rotation revoke logout access token'],
      ['policies', 'Policies', 'permissions roles authorization rbac abac'],
      ['visibility', 'Field visibility', 'hide fields visible permissions'],
      ['tenancy', 'Tenants', 'add a tenant guard multi-tenant multitenancy isolation customers'],
      ['rate-limits', 'Rate limits', 'throttle rate limit 429'],
      ['capacity', 'Capacity'],
      ['security', 'Security headers and CORS', 'cors origin helmet csp headers https'],
    ],
  },
  {
    text: 'Data',
    items: [
      ['postgres', 'PostgreSQL', 'database sql transaction row-level security'],
      ['migrations', 'Migrations'],
      ['typeorm', 'TypeORM', 'orm database repository'],
      ['postgres-recipes', 'Kysely and Prisma'],
      ['other-databases', 'MySQL and SQLite', 'mysql mariadb sqlite kysely drizzle database'],
      ['seeds', 'Seed data', 'seed fixtures demo data initial'],
      ['audit', 'Audit log', 'audit log trail history who changed'],
      [
        'outgoing',
        'Outgoing requests',
        'fetch http client axios retry circuit breaker ssrf outgoing',
      ],
      [
        'jobs',
        'Jobs and schedules',
        'job queue worker cron schedule background pg-boss outbox bullmq',
      ],
      ['object-storage', 'Object storage', 's3 bucket minio r2 files presigned upload'],
      ['mail', 'Sending mail', 'email e-mail smtp nodemailer outbox'],
      ['caching', 'Caching', 'cache response'],
      ['redis', 'Redis'],
    ],
  },
  {
    text: 'Code structure',
    items: [
      ['dependency-injection', 'Dependency injection'],
      [
        'interceptors',
        'Interceptors and middlewares',
        'middleware interceptor before after handler',
      ],
      ['extending', 'Plugins and custom decorators'],
    ],
  },
  {
    text: 'Test and operate',
    items: [
      ['testing', 'Testing', 'run tests test with a clock supertest mock fake timers'],
      [
        'testing-all-routes',
        'Testing all routes',
        'contract coverage fuzz authMatrix proveIsolation access isolation',
      ],
      ['testing-statements', 'Testing database statements', 'query budget n+1 statements answers'],
      ['doctor', 'Checks with blazon doctor'],
      [
        'operating',
        'Logs, health checks and shutdown',
        'health check logs shutdown signals production',
      ],
      [
        'observability',
        'Metrics and traces',
        'metrics prometheus opentelemetry traces dashboard alerts',
      ],
      ['deploying', 'Deployment', 'deploy docker kubernetes lambda serverless production'],
      [
        'workers',
        'Worker processes',
        'cluster processes cores multi-core rolling restart reload systemd pm2',
      ],
      ['runtimes', 'Bun and Deno'],
      ['supply-chain', 'Installed packages'],
    ],
  },
  {
    text: 'Reference',
    items: [
      ['decorators', 'Decorators'],
      ['configuration', 'Configuration options'],
      ['errors', 'Errors and codes'],
      ['api/index', 'API', 'api reference types'],
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
