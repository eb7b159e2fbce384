#Requires -Version 5.1
using namespace System.Collections
using module ./Shop.psm1
Import-Module Pester -MinimumVersion 5.0
Import-Module -Force -Name "Other"
. "$PSScriptRoot/helpers.ps1"
. ./other.ps1

# How many at most.
$script:Limit = 10
[int] $global:Seen = 0
${Handlers} = @{ Add = { 1 } }
$Handlers.Count = 2

<#
.SYNOPSIS
    Opens a cart.
.PARAMETER Name
    Whose it is.
#>
function Get-Cart {
    [CmdletBinding()]
    param (
        [Parameter(Mandatory)]
        [string] $Name
    )
    $local = 1
    function Inner($x) { $x }
    Write-Output (New-Cart $Name)
    $cart.Add([Line]::new($Name))
}

filter Select-Open { if ($_.Open) { $_ } }

function script:Set-Cart($Cart) {
    # Puts it back.
    Save-Cart $Cart
}

enum Color {
    Red
    Green = 2
}

# A cart.
class Cart : Base {
    [string] $Name
    hidden [int] $count = 0

    # Makes one.
    Cart([string] $name) {
        $this.Name = $name
    }

    [void] Add([Line] $line) {
        $this.count++
    }

    hidden [void] Check() { }
}

Describe "Get-Cart" {
    Context "empty" {
        It "is empty" { Get-Cart a | Should -Be 1 }
    }
}
