// What an order must be: for all that validate with zod. `order-json-schema.mjs` and the classes of class-validator say the same.
import { z } from 'zod'

export const Order = z.object({
  customer: z.object({
    name: z.string().min(1).max(100),
    email: z.email(),
    address: z.object({
      street: z.string().min(1).max(200),
      city: z.string().min(1).max(100),
      zip: z.string().min(3).max(12),
      country: z.string().length(2),
    }),
  }),
  items: z
    .array(
      z.object({
        sku: z.string().min(1).max(40),
        quantity: z.number().int().min(1).max(1000),
        price: z.number().min(0),
      }),
    )
    .min(1)
    .max(50),
  note: z.string().max(500).optional(),
})

/** What is answered to an order. */
export const Placed = z.object({
  id: z.string(),
  tenant: z.string(),
  customer: Order.shape.customer,
  items: Order.shape.items,
  total: z.number(),
})
