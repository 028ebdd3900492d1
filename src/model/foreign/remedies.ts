/** A decorator of another framework, with the words that an error uses for it. */
export interface Finding {
  /** The decorator with its package: `@UseGuards() of NestJS`. */
  readonly written: string
  readonly remedy: string
}

/** The features of Blazon that replace features of other frameworks. `docs/nestjs.md` lists them, too. */
export const REMEDIES = {
  guard: "Give the guard as `auth.guard`, and write @Auth() of blazon, or @Can('…') for roles.",
  access:
    "Use @Can('…'), @Auth() or @Public() of blazon, or `metadataKeys` of a plugin that reads it.",
  schema: 'Give a schema, as in @Post(path, { body: schema }) of blazon.',
  use: 'Write @Use(…) of blazon with a class that has intercept(req, next, res), or with a middleware.',
  filter: 'Write it as an error middleware, (error, req, res, next) => …, in `middlewares`.',
  scope: 'Each instance lives as long as the application: keep the data of a request on req.',
  route: 'Import it from blazon, and remove this one.',
  response: 'Import @HttpCode, @Header and @Redirect from blazon; for anything else use res.',
  parameter: 'Take it from the request, or use @CurrentUser() or defineParameter() of blazon.',
  injection: 'Import Inject from blazon, or write inject(token).',
  other: 'Remove it. The table of docs/nestjs.md has the replacements, such as @RateLimit.',
  document: 'Use @ApiOperation, @ApiBody, @ApiTags or `errors` of blazon, and remove it.',
  unknown:
    'Remove its decorator, or list the key in the `metadataKeys` of the plugin that reads it.',
} as const
