// NestJS on Express, as its documentation validates and documents: class-validator and @nestjs/swagger.
import 'reflect-metadata'
import {
  Body,
  Controller,
  Get,
  Module,
  Param,
  ParseIntPipe,
  Post,
  ValidationPipe,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { ApiProperty, DocumentBuilder, SwaggerModule } from '@nestjs/swagger'
import { IsEmail, IsInt, IsNotEmpty, IsString, Min } from 'class-validator'
import helmet from 'helmet'

class UserDto {
  @ApiProperty()
  @IsString()
  @IsNotEmpty()
  name!: string

  @ApiProperty()
  @IsEmail()
  email!: string

  @ApiProperty()
  @IsInt()
  @Min(18)
  age!: number
}

@Controller('users')
class UsersController {
  @Get(':id')
  getById(@Param('id', ParseIntPipe) id: number) {
    return { id, name: 'Ada' }
  }

  @Post()
  create(@Body() user: UserDto) {
    return { id: 2, ...user }
  }
}

@Controller('users')
class ClashingController {
  @Get(':name')
  getByName() {
    return 'never reached'
  }
}

@Controller('teams')
class MistakenController {
  @Get(':id')
  getById(@Param('teamId') _id: string) {
    return 'the parameter is not in the path'
  }
}

const variant = process.argv[2] ?? ''
const controllers = {
  clash: [UsersController, ClashingController],
  mistake: [UsersController, MistakenController],
}[variant] ?? [UsersController]

@Module({ controllers })
class UsersModule {}

const app = await NestFactory.create(UsersModule, { logger: false, abortOnError: false })
app.useGlobalPipes(new ValidationPipe())
if (variant === 'middleware') app.use(helmet({ referrerPolicy: { policy: 'origin' } }))
SwaggerModule.setup('api', app, () =>
  SwaggerModule.createDocument(app, new DocumentBuilder().setTitle('Users').build()),
)
await app.listen(0, '127.0.0.1')
process.on('disconnect', () => process.exit())
process.send?.({ port: app.getHttpServer().address().port, document: '/api-json' })
