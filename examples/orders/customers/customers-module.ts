import type { Module } from 'blazon'
import { CustomersController } from './customers-controller.js'
import { CustomersRepository } from './customers-repository.js'
import { CustomersService } from './customers-service.js'

/** Customers. The repository is private: the rest of the application uses the service. */
export const customersModule: Module = {
  name: 'customers',
  controllers: [CustomersController],
  providers: [CustomersService, CustomersRepository],
  exports: [CustomersService],
}
