# A mail server with a file a message (/var/mail) as Filebench defines it, with the number of files of the amplification
# study: delete; create, append, fsync; open, read, append, fsync; open, read.
set $nfiles=100000
set $filesize=cvar(type=cvar-gamma,parameters=mean:16384;gamma:1.5)
set $appendsize=16k
set $iosize=1m
set $nthreads=16

define fileset name=messages,size=$filesize,entries=$nfiles,dirwidth=1000000,prealloc=80

define process name=server
{
  thread name=user,instances=$nthreads
  {
    flowop deletefile name=delete,filesetname=messages
    flowop createfile name=create,filesetname=messages,fd=1
    flowop appendfilerand name=append-new,fd=1,iosize=$appendsize
    flowop fsync name=fsync-new,fd=1
    flowop closefile name=close-new,fd=1
    flowop openfile name=open-to-answer,filesetname=messages,fd=1
    flowop readwholefile name=read-to-answer,fd=1,iosize=$iosize
    flowop appendfilerand name=append-answer,fd=1,iosize=$appendsize
    flowop fsync name=fsync-answer,fd=1
    flowop closefile name=close-answered,fd=1
    flowop openfile name=open-to-read,filesetname=messages,fd=1
    flowop readwholefile name=read,fd=1,iosize=$iosize
    flowop closefile name=close-read,fd=1
  }
}

run 60
