// The bodies, in zod.
import { z } from 'zod'

export const NewUser = z.object({ name: z.string().min(1).max(100), email: z.email() })
export const ReplacedUser = NewUser.extend({ nickname: z.string().max(40).optional() })
export const NewOrder = z.object({
  sku: z.string().min(1).max(40),
  quantity: z.number().int().min(1).max(1000),
})
export const ReplacedOrder = NewOrder.extend({ note: z.string().max(500).optional() })
