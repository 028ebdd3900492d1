/** The features of Blazon that replace features of other frameworks. `docs/nestjs.md` lists them, too. */
export const REMEDIES = {
  guard:
    "Give the guard as `auth.guard`, and write @Auth() of blazon here, or @Can('…') for roles and permissions.",
  access:
    "Use @Can('…'), @Auth() or @Public() of blazon. If a plugin of yours reads this key, list it in its `metadataKeys`.",
  schema:
    'Give a schema: @Body(schema), @Query(schema), …, or @Post(path, { body: schema }) of blazon.',
  interceptor:
    'Write @Use(…) of blazon with it: a class with intercept(req, next, res). For all routes, list it in `interceptors`.',
  filter:
    'Write it as an error middleware, (error, req, res, next) => …, at the end of `middlewares`; for some routes only, as an interceptor with try and catch around next().',
  middleware: 'List it in `middlewares`; for some routes only, write @Use(…) of blazon with it.',
  scope:
    'Every instance lives as long as the application: keep the data of a request on req, and create new objects for a request in its handler.',
  route: 'Import it from blazon, and remove this one.',
  answer: 'Import @HttpCode, @Header and @Redirect from blazon; for anything else use res.',
  version: "Write the version into the path: @Controller('v2/…').",
  parameter:
    'Import @Body, @Query, @Headers, @Req or @Res from blazon (@Param is @Params(schema)), or take the request: (req, res).',
  custom: 'Use @CurrentUser(), @TenantId() or @Req() of blazon, or read it from req.',
  injection: 'Import Inject from blazon, or write inject(token).',
  limit: "Write @RateLimit({ limit: 10, window: '1m' }) of blazon.",
  output: 'Return only data that clients may see: the returned value is sent unchanged.',
  controller: 'Describe the class with decorators of blazon, and remove these.',
} as const
