import { env, secret } from 'blazon'
import { z } from 'zod'

/** The variables of the environment. All have defaults, so the application starts where none is set. */
export const Env = env(
  z.object({
    PORT: z.coerce
      .number()
      .int()
      .min(0)
      .max(65_535)
      .default(3000)
      .describe('Where the application listens'),
    DATABASE_URL: secret(z.url())
      .optional()
      .describe('A PostgreSQL server, which several processes may share'),
    DATABASE_FOLDER: z
      .string()
      .optional()
      .describe(
        'Without a server: the folder of a PostgreSQL in this process, or memory. Default: .data in this example',
      ),
    REDIS_URL: secret(z.url())
      .optional()
      .describe(
        'A Redis for what is cached and counted, which several processes may share. Default: this process',
      ),
  }),
)
