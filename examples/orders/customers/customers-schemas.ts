import { z } from 'zod'

export const CustomerId = z.object({ id: z.coerce.number().int().positive() })

export const NewCustomer = z.object({
  name: z.string().trim().min(1).max(100),
  email: z.email().toLowerCase(),
})

export type NewCustomer = z.infer<typeof NewCustomer>

export interface Customer extends NewCustomer {
  id: number
  createdAt: Date
}
