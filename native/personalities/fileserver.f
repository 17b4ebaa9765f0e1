# A file server as Filebench defines it: 50 users create, write, append, read, delete and stat files.
set $nfiles=10000
set $filesize=cvar(type=cvar-gamma,parameters=mean:131072;gamma:1.5)
set $appendsize=16k
set $iosize=1m
set $nthreads=50

define fileset name=files,size=$filesize,entries=$nfiles,dirwidth=20,prealloc=80

define process name=server
{
  thread name=user,instances=$nthreads
  {
    flowop createfile name=create,filesetname=files,fd=1
    flowop writewholefile name=write,fd=1,srcfd=1,iosize=$iosize
    flowop closefile name=close-written,fd=1
    flowop openfile name=open-to-append,filesetname=files,fd=1
    flowop appendfilerand name=append,fd=1,iosize=$appendsize
    flowop closefile name=close-appended,fd=1
    flowop openfile name=open-to-read,filesetname=files,fd=1
    flowop readwholefile name=read,fd=1,iosize=$iosize
    flowop closefile name=close-read,fd=1
    flowop deletefile name=delete,filesetname=files
    flowop statfile name=stat,filesetname=files
  }
}

run 60
