import type { Module } from 'blazon'
import { customersModule } from '../customers/customers-module.js'
import { OrderChanges } from './order-changes.js'
import { OrdersController } from './orders-controller.js'
import { OrdersRepository } from './orders-repository.js'
import { OrdersService } from './orders-service.js'
import { Payments } from './payments.js'
import { Receipts } from './receipts.js'
import { ReceiptsController } from './receipts-controller.js'

export const ordersModule: Module = {
  name: 'orders',
  imports: [customersModule],
  controllers: [OrdersController, ReceiptsController],
  providers: [OrdersService, OrdersRepository, OrderChanges, Payments, Receipts],
}
