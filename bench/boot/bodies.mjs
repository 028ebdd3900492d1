// The bodies of the boot benchmark in zod.
import { z } from 'zod'

/** Every schema is made anew, and says something else than any other. */
export function defineBody(n) {
  return z.object({
    name: z
      .string()
      .min(1)
      .max(100 + n),
    email: z.email(),
    quantity: z.number().int().min(1).max(1000),
    price: z.number().min(0),
    status: z.enum(['draft', 'open', 'closed']),
    tags: z.array(z.string().max(40)).max(10),
    isActive: z.boolean().optional(),
    address: z.object({
      street: z.string().min(1).max(200),
      city: z.string().min(1).max(100),
      zip: z.string().min(3).max(12),
    }),
  })
}
