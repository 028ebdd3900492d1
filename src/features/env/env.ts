import type { FactoryProvider } from '../../contracts/provider.js'
import type { InferOutput, Schema } from '../../contracts/schema.js'
import { inject } from '../../di/inject.js'
import { InjectionToken, UnderTest } from '../../di/token.js'
import { ConfigError } from '../../errors/config-error.js'
import type { EnvOptions } from './env-options.js'
import { type EnvDeclaration, readEnv, readEnvAsync } from './read-env.js'
import { announceEnv, reportEnv } from './report-env.js'
import type { EnvRecord } from './sources.js'

/**
 * The token for the variables that `env` describes. An application that injects this token reads the variables once, at
 * boot.
 *
 * @example
 * class Mailer {
 *   private readonly url = inject(Env).SMTP_URL
 * }
 */
export class EnvToken<T> extends InjectionToken<T> {
  readonly #declaration: EnvDeclaration

  /**
   * Creates a token. Call `env` instead.
   *
   * @param declaration The schema and the options.
   */
  constructor(declaration: EnvDeclaration) {
    // The schema returns values of the type `T`.
    const read = () => readEnv(declaration, { isTest: inject(UnderTest) }) as T
    super('Env', { useFactory: read })
    this.#declaration = declaration
    announceEnv({ report: () => reportEnv(declaration) })
  }

  /**
   * A provider for the `providers` option. With this provider, boot reads the variables even if no class injects them,
   * and supports asynchronous schemas and JSON Schemas. Without this provider, boot reads the variables when the first
   * class injects the token.
   *
   * @example
   * const app = new App({ providers: [Env.provider], controllers })
   */
  get provider(): FactoryProvider<T> {
    return {
      token: this,
      inject: [UnderTest],
      useFactory: (isTest: boolean) => readEnvAsync(this.#declaration, { isTest }) as Promise<T>,
    }
  }

  /**
   * Reads the variables immediately, without an application, for example for `listen(port)` and for options. Each call
   * reads the variables again.
   *
   * @param variables The variables to read instead of the environment; `.env` is then not read. Default: `process.env`,
   * and the file that the `file` option specifies.
   * @returns a frozen object. Secrets are non-enumerable properties: `inspect` and JSON mask them, and copies omit
   * them.
   * @throws ConfigError `E_ENV_INVALID` with every invalid variable, or if the schema is asynchronous or a JSON Schema;
   * the other errors of {@link env}.
   * @example
   * const config = Env.read()
   * await new App(options).listen(config.PORT)
   */
  read(variables?: EnvRecord): T {
    try {
      // The schema returns values of the type `T`.
      return readEnv(this.#declaration, { from: variables }) as T
    } catch (error) {
      // The cause is in the environment, not in the program, so the stack only needs to show this call.
      if (error instanceof ConfigError) Error.captureStackTrace(error, this.read)
      throw error
    }
  }
}

/**
 * Describes the environment variables with a schema. The result is a token: `inject(Env)` returns the output type of
 * the schema. Variables are strings, and only the schema converts them, for example with `z.coerce.number()`. An empty
 * variable counts as not set. `NAME_FILE` can contain the path of a file with the value of `NAME`. Nothing is read
 * before boot or {@link EnvToken.read}, and `process.env` never changes.
 *
 * @param schema A schema from any library for an object whose fields are the variables.
 * @param options `file`: a file with variables (default: `.env`, but not in production or in tests); `secrets`: names
 * of additional secret variables that are not marked with `secret`.
 * @throws ConfigError when the variables are read: `E_ENV_INVALID` with every invalid variable; `E_SCHEMA_INVALID` if
 * the schema's fields cannot be read, or if a JSON Schema does not compile; `E_OPTION_INVALID` for an invalid option.
 * @example
 * const Env = env(z.object({ PORT: z.coerce.number().default(3000), DATABASE_URL: secret(z.url()) }))
 */
export function env<S extends Schema>(
  schema: S,
  options: EnvOptions = {},
): EnvToken<Readonly<InferOutput<S>>> {
  return new EnvToken({ schema, options })
}
