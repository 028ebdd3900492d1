import { env, secret } from 'blazon'
import { z } from 'zod'

const isProduction = () => process.env['NODE_ENV'] === 'production'

/** The variables of the environment. All have defaults, so the application starts where none is set, but in production. */
export const Env = env(
  z
    .object({
      PORT: z.coerce
        .number()
        .int()
        .min(0)
        .max(65_535)
        .default(3000)
        .describe('Where the application listens'),
      API_TOKENS: secret(z.string().regex(/^[^:,\s]{16,}:[^:,\s]+(,[^:,\s]{16,}:[^:,\s]+)*$/))
        .optional()
        .describe(
          'Bearer tokens with their tenants, token:tenant,token:tenant. Without them, nobody is let in',
        ),
      DATABASE_URL: secret(z.url())
        .optional()
        .describe('A PostgreSQL server, which several processes may share. Production needs it'),
      DATABASE_FOLDER: z
        .string()
        .default('.data/postgres')
        .describe('Without a server: the folder of a PostgreSQL in this process, or memory'),
      REDIS_URL: secret(z.url())
        .optional()
        .describe(
          'A Redis for what is counted, which several processes may share. Default: this process',
        ),
    })
    // Without a server, all data would be in a folder of this machine, perhaps of a container that is replaced.
    .refine(({ DATABASE_URL }) => DATABASE_URL !== undefined || !isProduction(), {
      path: ['DATABASE_URL'],
      message: 'Production needs a PostgreSQL server',
    }),
)
