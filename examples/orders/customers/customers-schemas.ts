import { page } from 'blazon'
import { z } from 'zod'
import { MAX_INTEGER, RowId, textOf } from '../shared/fields.js'

export const CustomerId = z.object({
  id: RowId.describe('The customer number'),
})

export const NewCustomer = z
  .object({
    name: textOf(100),
    email: z.email().max(254).toLowerCase(),
  })
  .meta({ id: 'NewCustomer' })

export const Customer = NewCustomer.extend({
  id: z.int().positive().max(MAX_INTEGER),
  createdAt: z.date(),
}).meta({ id: 'Customer' })

export const CustomerPages = page(Customer, { order: ['id'] })

export type CustomerId = z.infer<typeof CustomerId>
export type NewCustomer = z.infer<typeof NewCustomer>
export type Customer = z.infer<typeof Customer>
