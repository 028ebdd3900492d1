import { env, secret } from 'blazon'
import { z } from 'zod'

/** The variables of the environment. All have defaults, so the service starts where none is set. */
export const Env = env(
  z.object({
    PORT: z.coerce
      .number()
      .int()
      .min(0)
      .max(65_535)
      .default(3000)
      .describe('Where the service listens'),
    API_TOKEN: secret(z.string().min(16))
      .optional()
      .describe('What clients send as a bearer token. Without it, nobody may write'),
  }),
)
