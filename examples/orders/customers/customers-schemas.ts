import { z } from 'zod'

export const CustomerId = z.object({
  id: z.coerce.number().int().positive().describe('Number of the customer'),
})

export const NewCustomer = z
  .object({
    name: z.string().trim().min(1).max(100),
    email: z.email().toLowerCase(),
  })
  .meta({ id: 'NewCustomer' })

export const Customer = NewCustomer.extend({
  id: z.int().positive(),
  createdAt: z.date(),
}).meta({ id: 'Customer' })

export type NewCustomer = z.infer<typeof NewCustomer>
export type Customer = z.infer<typeof Customer>
