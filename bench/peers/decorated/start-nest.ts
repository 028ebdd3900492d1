// NestJS 12 on Express as its documentation shows it: classes with class-validator, ValidationPipe, SwaggerModule.
import 'reflect-metadata'
import {
  Body,
  Controller,
  Delete,
  Get,
  Module,
  Param,
  Post,
  Put,
  ValidationPipe,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { ApiProperty, ApiPropertyOptional, DocumentBuilder, SwaggerModule } from '@nestjs/swagger'
import {
  IsEmail,
  IsInt,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  MinLength,
} from 'class-validator'
import helmet from 'helmet'
import { announce } from '../../candidates/serve.mjs'
import { HELMET } from '../../orders.mjs'
import { orders, users } from '../../startup/shop.mjs'

class CreateUserDto {
  @ApiProperty()
  @IsString()
  @MinLength(1)
  @MaxLength(100)
  name!: string

  @ApiProperty()
  @IsEmail()
  email!: string
}

class ReplaceUserDto extends CreateUserDto {
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(40)
  nickname?: string
}

class CreateOrderDto {
  @ApiProperty()
  @IsString()
  @MinLength(1)
  @MaxLength(40)
  sku!: string

  @ApiProperty()
  @IsInt()
  @Min(1)
  @Max(1000)
  quantity!: number
}

class ReplaceOrderDto extends CreateOrderDto {
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(500)
  note?: string
}

@Controller('users')
class UsersController {
  @Get()
  list() {
    return users.list()
  }

  @Get(':id')
  read(@Param('id') id: string) {
    return users.read(id)
  }

  @Post()
  create(@Body() body: CreateUserDto) {
    return users.create(body)
  }

  @Put(':id')
  replace(@Param('id') id: string, @Body() body: ReplaceUserDto) {
    return users.replace(id, body)
  }

  @Delete(':id')
  remove(@Param('id') id: string) {
    return users.remove(id)
  }
}

@Controller('orders')
class OrdersController {
  @Get()
  list() {
    return orders.list()
  }

  @Get(':id')
  read(@Param('id') id: string) {
    return orders.read(id)
  }

  @Post()
  create(@Body() body: CreateOrderDto) {
    return orders.create(body)
  }

  @Put(':id')
  replace(@Param('id') id: string, @Body() body: ReplaceOrderDto) {
    return orders.replace(id, body)
  }

  @Delete(':id')
  remove(@Param('id') id: string) {
    return orders.remove(id)
  }
}

@Module({ controllers: [UsersController, OrdersController] })
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: false })
app.use(helmet(HELMET))
app.useGlobalPipes(new ValidationPipe())
const config = new DocumentBuilder().setTitle('Shop').setVersion('1.0').build()
SwaggerModule.setup('api-docs', app, () => SwaggerModule.createDocument(app, config), {
  jsonDocumentUrl: 'api-docs.json',
})
await app.listen(0, '127.0.0.1')
announce(app.getHttpServer().address().port)
